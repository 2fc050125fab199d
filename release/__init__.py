"""What a release needs: locked versions, licences of dependencies, trials where nothing else is."""
